WITH members AS (
SELECT DISTINCT c0 + 3 * c1 AS k0, entity AS entity
FROM coded
),
pairs AS (
SELECT DISTINCT c0 + 3 * c1 AS k0, c2 AS value, entity AS entity
FROM coded
),
cells AS (
SELECT k0, value, count(*) AS n
FROM pairs
GROUP BY 1, 2
),
sizes AS (
SELECT k0, count(*) AS size
FROM members
GROUP BY 1
),
marginal AS (
SELECT value, count(DISTINCT entity) + max(CASE WHEN entity IS NULL THEN 1 ELSE 0 END) AS table_n
FROM pairs
GROUP BY 1
),
whole AS (
SELECT CAST(sum(table_n) AS BIGINT) AS table_total, count(*) AS table_values
FROM marginal
),
shares AS (
SELECT marginal.value, marginal.table_n, whole.table_values,
marginal.table_n / whole.table_total AS table_share
FROM marginal
CROSS JOIN whole
),
totals AS (
SELECT k0, CAST(sum(n) AS BIGINT) AS total
FROM cells
GROUP BY 1
),
detail AS (
SELECT cells.k0, cells.value, cells.n, sizes.size,
totals.total AS total, cells.n / totals.total AS share,
shares.table_n, shares.table_share, shares.table_values
FROM cells
JOIN sizes ON cells.k0 = sizes.k0
JOIN totals ON cells.k0 = totals.k0
JOIN shares ON cells.value = shares.value
),
classes AS (
SELECT k0, max(size) AS size,
(count(*)) AS distinct_values,
(max(share)) AS largest_share,
(sum(greatest(share - table_share, 0))) AS distance
FROM detail
GROUP BY 1
),
persons AS (
SELECT members.entity, min(sizes.size) AS size
FROM members
JOIN sizes ON members.k0 = sizes.k0
GROUP BY 1
)
SELECT s0, s1, s2, s3, s4, s5, s6, s7
FROM (
  SELECT
  (count(*)) AS s0,
  (min(size)) AS s1,
  (min(distinct_values)) AS s5,
  (max(largest_share)) AS s6,
  (max(distance)) AS s7
  FROM classes
) AS from_classes
CROSS JOIN (
  SELECT
  sum(CAST(1 AS DECIMAL(38, 18))) AS s2,
  sum(CAST(CASE WHEN size = 1 THEN 1 ELSE 0 END AS DECIMAL(38, 18))) AS s3,
  sum(CAST(CASE WHEN size < 3 THEN 1 ELSE 0 END AS DECIMAL(38, 18))) AS s4
  FROM persons
) AS from_persons
