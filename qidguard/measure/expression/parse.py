"""Parse the SQL of a statistic; whatever is outside the small language is left to the database."""

import re
from fractions import Fraction

from qidguard.measure.expression.node import AGGREGATES, Call, Case, Cast, Literal, Name, Node
from qidguard.measure.expression.unsupported import Unsupported

_TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_][A-Za-z0-9_]*)|(<>|!=|<=|>=|[-+*/(),<>=]))",
    re.ASCII,
)
_KEYWORDS = frozenset(
    {"and", "or", "not", "is", "in", "between", "case", "when", "then", "else", "end", "cast", "as"}
    | {"null", "true", "false", "distinct", "over", "filter"}
)
_FUNCTIONS = {"ln": (1, 1), "abs": (1, 1), "greatest": (2, 99), "least": (2, 99), "coalesce": (1, 99)}
_COMPARISONS = frozenset({"=", "<>", "!=", "<", "<=", ">", ">="})
_TYPES = {"double": "double", "bigint": "bigint", "decimal(38,18)": "exact"}
_MOST_TOKENS = 2000


def parse(sql: str) -> Node:
    """Return the expression of a text; Unsupported where it is outside the language."""
    parser = _Parser(_tokens(sql))
    node = parser.disjunction()
    if parser.peek():
        raise Unsupported
    return node


def _tokens(sql: str) -> list[str]:
    found: list[str] = []
    at, text = 0, sql.strip()
    if "--" in text:
        raise Unsupported  # a comment to the database
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or len(found) > _MOST_TOKENS:
            raise Unsupported
        found.append(match.group(0).strip().lower())
        at = match.end()
    return found


class _Parser:
    """Recursive descent, one method a rank of operators, loosest first."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def take(self, *wanted: str) -> str:
        """Return the next token and step on; "" and no step where another one is wanted."""
        token = self.peek()
        if wanted and token not in wanted:
            return ""
        self._at += 1
        return token

    def need(self, token: str) -> None:
        if not self.take(token):
            raise Unsupported

    def disjunction(self) -> Node:
        node = self._conjunction()
        while self.take("or"):
            node = Call("or", (node, self._conjunction()))
        return node

    def _conjunction(self) -> Node:
        node = self._negation()
        while self.take("and"):
            node = Call("and", (node, self._negation()))
        return node

    def _negation(self) -> Node:
        return Call("not", (self._negation(),)) if self.take("not") else self._comparison()

    def _comparison(self) -> Node:
        node = self._sum()
        if operator := self.take(*_COMPARISONS):
            node = Call("<>" if operator == "!=" else operator, (node, self._sum()))
        elif self.take("is"):
            negated = self.take("not")
            self.need("null")
            node = Call("is null", (node,))
            node = Call("not", (node,)) if negated else node
        else:
            negated = self.take("not")
            if self.take("between"):
                low = self._sum()
                self.need("and")
                node = Call("and", (Call(">=", (node, low)), Call("<=", (node, self._sum()))))
            elif self.take("in"):
                self.need("(")
                node = Call("in", (node, *self._list()))
            elif negated:
                raise Unsupported
            node = Call("not", (node,)) if negated else node
        if self.peek() in _COMPARISONS:
            raise Unsupported
        return node

    def _sum(self) -> Node:
        node = self._product()
        while operator := self.take("+", "-"):
            node = Call(operator, (node, self._product()))
        return node

    def _product(self) -> Node:
        node = self._signed()
        while operator := self.take("*", "/"):
            node = Call(operator, (node, self._signed()))
        return node

    def _signed(self) -> Node:
        if self.take("-"):
            return Call("negative", (self._signed(),))
        return self._signed() if self.take("+") else self._atom()

    def _atom(self) -> Node:
        word = self.take()
        if word == "(":
            node = self.disjunction()
            self.need(")")
            return node
        if word[:1].isdigit() or word[:1] == ".":
            return _number(word)
        if word in {"null", "true", "false"}:
            return Literal({"null": None, "true": True, "false": False}[word])
        if word == "case":
            return self._case()
        if word == "cast":
            return self._cast()
        if not word.isidentifier() or word in _KEYWORDS:
            raise Unsupported
        return self._call(word) if self.take("(") else Name(word)

    def _call(self, function: str) -> Node:
        if function == "count" and self.take("*"):
            self.need(")")
            return Call("count", ())
        parts = self._list()
        low, high = (1, 1) if function in AGGREGATES else _FUNCTIONS.get(function, (0, 0))
        if not low <= len(parts) <= high:
            raise Unsupported
        return Call(function, parts)

    def _list(self) -> tuple[Node, ...]:
        parts = [self.disjunction()]
        while self.take(","):
            parts.append(self.disjunction())
        self.need(")")
        return tuple(parts)

    def _case(self) -> Node:
        branches = []
        while self.take("when"):
            when = self.disjunction()
            self.need("then")
            branches.append((when, self.disjunction()))
        otherwise: Node = self.disjunction() if self.take("else") else Literal(None)
        self.need("end")
        if not branches:
            raise Unsupported
        return Case(tuple(branches), otherwise)

    def _cast(self) -> Node:
        self.need("(")
        node = self.disjunction()
        self.need("as")
        words: list[str] = []
        while self.peek() not in {")", ""} or (self.peek() == ")" and words.count("(") > words.count(")")):
            words.append(self.take())
        self.need(")")
        if "".join(words) not in _TYPES:
            raise Unsupported
        return Cast(node, _TYPES["".join(words)])


def _number(token: str) -> Literal:
    if "e" in token:
        return Literal(float(token))
    if "." not in token:
        return Literal(int(token))
    return Literal(Fraction(token if token[-1] != "." else token[:-1]), places=len(token.split(".")[1]))
