"""A file of thirty kinds of identifiers under the headers of three schemas, and a hundred look-alikes."""

# ruff: noqa: E501 - headers are read in tables

import pandas as pd
import pytest

import qidguard
from identifier_columns import IDENTIFIERS, identifiers
from lookalike_columns import LOOKALIKES, lookalike
from qidguard.sdk import Role

RECORDS = 240
KINDS = tuple(IDENTIFIERS)

SYNTHEA = {
    "mail": "EMAIL", "phone": "PHONE", "card": "PAYMENT_CARD", "iban": "BANK_ACCOUNT", "nhs": "NHS", "bsn": "BSN",
    "cpf": "CPF", "nir": "NIR", "dni": "DNI", "ssn": "SSN", "sin": "SIN", "pesel": "PESEL", "personnummer": "PERSONNUMMER",
    "ahv": "AHV", "imei": "UDI", "npi": "PROVIDER", "kvnr": "MEMBERID", "vin": "VEHICLE", "aadhaar": "PASSPORT",
    "orcid": "AUTHOR", "uuid": "Id", "ipv4": "IP", "ipv6": "IP6", "mac": "DEVICE", "profile": "PAGE", "name": "NAME",
    "address": "ADDRESS", "point": "LATLON", "written_date": "BIRTHDATE", "diagnosis": "CODE",
}  # fmt: skip
"""Kind → header as a file of Synthea has it; where it has none of that kind, in its manner."""

FHIR = {
    "mail": "Patient.telecom.email", "phone": "Patient.telecom.phone", "card": "Claim.payment.identifier",
    "iban": "Account.identifier", "nhs": "Patient.identifier.nhs", "bsn": "Patient.identifier.bsn",
    "cpf": "Patient.identifier.cpf", "nir": "Patient.identifier.nir", "dni": "Patient.identifier.dni",
    "ssn": "Patient.identifier.ssn", "sin": "Patient.identifier.sin", "pesel": "Patient.identifier.pesel",
    "personnummer": "Patient.identifier.pnr", "ahv": "Patient.identifier.ahv", "imei": "Device.udiCarrier",
    "npi": "Practitioner.identifier", "kvnr": "Coverage.subscriberId", "vin": "Device.serialNumber",
    "aadhaar": "Patient.identifier.value", "orcid": "Practitioner.identifier.orcid", "uuid": "Patient.id",
    "ipv4": "AuditEvent.agent.network.address", "ipv6": "AuditEvent.source", "mac": "Device.identifier",
    "profile": "Patient.telecom.url", "name": "Patient.name.text", "address": "Patient.address.line",
    "point": "Location.position", "written_date": "Patient.birthDate", "diagnosis": "Condition.code.coding.code",
}  # fmt: skip
"""Kind → path of the element of FHIR that holds it."""

OMOP = {
    "mail": "email_source_value", "phone": "phone_source_value", "card": "payment_source_value",
    "iban": "account_source_value", "nhs": "person_source_value", "bsn": "person_source_value_2", "cpf": "cpf_source_value",
    "nir": "nir_source_value", "dni": "dni_source_value", "ssn": "ssn_source_value", "sin": "sin_source_value",
    "pesel": "pesel_source_value", "personnummer": "pnr_source_value", "ahv": "ahv_source_value",
    "imei": "unique_device_id", "npi": "npi", "kvnr": "payer_source_value", "vin": "device_source_value",
    "aadhaar": "subject_source_value", "orcid": "provider_source_value", "uuid": "person_id", "ipv4": "source_ip",
    "ipv6": "source_address", "mac": "production_id", "profile": "provider_page", "name": "provider_name",
    "address": "address_1", "point": "location_source_value", "written_date": "birth_datetime",
    "diagnosis": "condition_source_value",
}  # fmt: skip
"""Kind → column of the OMOP common data model, or one in its manner."""


def found(columns: dict[str, list[str]]) -> dict[str, set[Role]]:
    """Return column → the roles that it is proposed in; a key of persons names them, too."""
    with qidguard.audit(pd.DataFrame(columns)) as audit:
        said = {column.facts.name: column.assignment for column in audit.report.columns}
    roles = {
        name: {one.role} | ({Role.SENSITIVE} if one.is_sensitive else set()) for name, one in said.items()
    }
    return {
        name: {Role.DIRECT_IDENTIFIER if role is Role.ENTITY else role for role in every}
        - {Role.UNCLASSIFIED}
        for name, every in roles.items()
    }


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    ("headers", "spelling"), [(SYNTHEA, 0), (FHIR, 1), (OMOP, 2)], ids=["Synthea", "FHIR", "OMOP"]
)
def test_identifiers_are_found_under_the_headers_of_a_schema(headers: dict[str, str], spelling: int) -> None:
    """At least 95 % of thirty kinds are proposed in their role, whatever the schema calls them."""
    roles = found({headers[kind]: identifiers(kind, spelling, 11, RECORDS) for kind in KINDS})
    missed = {
        kind for kind in KINDS if IDENTIFIERS[kind][0] not in {role.value for role in roles[headers[kind]]}
    }
    assert set(headers) == set(KINDS)
    assert len(missed) <= 0.05 * len(KINDS), missed


@pytest.mark.samples(1)
@pytest.mark.parametrize("seed", [11, 12])
def test_a_file_of_lookalikes_raises_at_most_two_alarms(seed: int) -> None:
    """A hundred harmless columns under their own headers: at most two are proposed in any role."""
    alarms = {
        name: roles
        for name, roles in found({n: lookalike(n, seed, RECORDS) for n in LOOKALIKES}).items()
        if roles
    }
    assert len(LOOKALIKES) == 100
    assert len(alarms) <= 2, alarms
