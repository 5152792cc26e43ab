"use strict";
// the page is as light or dark as Airflow's own pages, which keep the choice here; else as the system is
function follow() {
  try {
    document.documentElement.dataset.theme = localStorage.getItem("theme");
  } catch {
    delete document.documentElement.dataset.theme;
  }
}
follow();
addEventListener("storage", follow);
