"""Parameters that several attacks share."""

from qidguard.sdk import Parameter

KNOWN = Parameter(
    name="known",
    type=int,
    default=0,
    minimum=0,
    meaning="QIDs of a target that the attacker knows, drawn at random for each; 0, or more than there are, "
    "means all",
)
TARGETS = Parameter(
    name="targets",
    type=int,
    default=1000,
    minimum=0,
    meaning="largest number of persons who are attacked, drawn at random; 0 means all",
)
SENSITIVE = Parameter(
    name="sensitive",
    type=str,
    default="",
    meaning="the sensitive attribute that is to be learned; empty means each of them",
)
