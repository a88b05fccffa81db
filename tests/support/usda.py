"""A strict reader of the part of USD's text format that stages with meshes, curves and points need. Whatever is not in the grammar,
or not of the type that was declared, is an error with its line."""

import re

TOKEN = re.compile(r"""(?P<space>[ \t\r]+)|(?P<line>\n)|(?P<text>"(?:[^"\\\n]|\\.)*")
    |(?P<number>-?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|inf))|(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:[:.][A-Za-z_][A-Za-z0-9_]*)*)
    |(?P<mark>[()\[\]{}=,:])""", re.VERBOSE)
TYPES = {"int": (int, 1), "float": (float, 1), "double": (float, 1), "bool": (int, 1), "token": (str, 1), "string": (str, 1),
         "point3f": (float, 3), "vector3f": (float, 3), "float3": (float, 3), "texCoord2f": (float, 2), "quatd": (float, 4)}
SCHEMAS = {  # the properties that each may have, with their types
    "Xform": {"xformOp:orient": "quatd", "xformOpOrder": "token[]"},
    "Mesh": {"subdivisionScheme": "token", "doubleSided": "bool", "faceVertexCounts": "int[]", "faceVertexIndices": "int[]",
             "points": "point3f[]", "velocities": "vector3f[]", "extent": "float3[]", "primvars:st": "texCoord2f[]",
             "visibility": "token"},
    "BasisCurves": {"type": "token", "curveVertexCounts": "int[]", "points": "point3f[]", "velocities": "vector3f[]",
                    "extent": "float3[]", "widths": "float[]", "visibility": "token"},
    "Points": {"points": "point3f[]", "velocities": "vector3f[]", "extent": "float3[]", "widths": "float[]", "visibility": "token"},
    "GeomSubset": {"elementType": "token", "indices": "int[]"},
}


class Prim:
    def __init__(self, schema, name):
        self.schema, self.name = schema, name
        self.metadata, self.values, self.samples, self.prims, self.types = {}, {}, {}, [], {}

    def __repr__(self):
        return f"{self.schema} {self.name}"


class Reader:
    def __init__(self, text):
        self.tokens, self.at, line, place = [], 0, 1, 0
        assert text.startswith("#usda 1.0\n"), "the first line is not #usda 1.0"
        place = len("#usda 1.0")
        while place < len(text):
            found = TOKEN.match(text, place)
            assert found, f"line {line}: {text[place:place + 20]!r}"
            if found.lastgroup not in ("space", "line"):
                self.tokens.append((found.lastgroup, found[0], line))
            line += found[0].count("\n")
            place = found.end()

    def fail(self, message):
        raise AssertionError(f"line {self.tokens[min(self.at, len(self.tokens) - 1)][2]}: {message}")

    def peek(self):
        return self.tokens[self.at][1] if self.at < len(self.tokens) else None

    def take(self, wanted=None, kind=None):
        found_kind, found, _ = self.tokens[self.at] if self.at < len(self.tokens) else (None, None, None)
        if (wanted is not None and found != wanted) or (kind is not None and found_kind != kind):
            self.fail(f"expected {wanted or kind}, found {found!r}")
        self.at += 1
        return found

    def text(self):
        return re.sub(r"\\(.)", r"\1", self.take(kind="text")[1:-1])

    def scalar(self, kind):
        if kind is str:
            return self.text()
        word = self.take(kind="number")
        if kind is int and not re.fullmatch(r"-?\d+", word):
            self.fail(f"{word} is not a whole number")
        return kind(word)

    def element(self, base):
        kind, width = TYPES[base]
        if width == 1:
            return self.scalar(kind)
        row = []
        for i in range(width):
            self.take("," if i else "(")
            row.append(self.scalar(kind))
        self.take(")")
        return tuple(row)

    def value(self, declared):
        if not declared.endswith("[]"):
            return self.element(declared)
        found = []
        self.take("[")
        while self.peek() != "]":
            if found:
                self.take(",")
            found.append(self.element(declared[:-2]))
        self.take("]")
        return found

    def metadata(self):
        found = {}
        if self.peek() != "(":
            return found
        self.take("(")
        while self.peek() != ")":
            key = self.take(kind="name")
            self.take("=")
            found[key] = self.text() if self.tokens[self.at][0] == "text" else float(self.take(kind="number"))
        self.take(")")
        return found

    def property(self, prim):
        custom = self.peek() == "custom" and self.take() is not None
        uniform = self.peek() == "uniform" and self.take() is not None
        declared = self.take(kind="name")
        if declared not in TYPES:
            self.fail(f"there is no type {declared}")
        if self.peek() == "[":
            self.take("[")
            self.take("]")
            declared += "[]"
        name = self.take(kind="name")
        sampled = name.endswith(".timeSamples")
        name = name.removesuffix(".timeSamples")
        expected = SCHEMAS[prim.schema].get(name) or (declared if custom or name.startswith("primvars:") else None)
        if expected != declared or (sampled and uniform):
            self.fail(f"{prim}: {declared} {name} is not of its schema")
        if prim.types.setdefault(name, declared) != declared or name in (prim.samples if sampled else prim.values):
            self.fail(f"{prim}: {name} twice")
        if sampled:
            self.take("=")
            prim.samples[name] = self.samples(declared)
            return
        if self.peek() == "=":
            self.take("=")
            prim.values[name] = self.value(declared)
        if self.metadata().keys() - {"interpolation"}:
            self.fail(f"{prim}: {name} has metadata that nobody knows")

    def samples(self, declared):
        found = {}
        self.take("{")
        while self.peek() != "}":
            code = float(self.take(kind="number"))
            self.take(":")
            if code in found or (found and code < max(found)):
                self.fail(f"the time code {code} is not after that before it")
            found[code] = self.value(declared)
            if self.peek() != "}":
                self.take(",")
        self.take("}")
        return found

    def prim(self):
        self.take("def")
        schema = self.take(kind="name")
        if schema not in SCHEMAS:
            self.fail(f"there is no schema {schema}")
        name = self.text()
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
            self.fail(f"{name!r} cannot be the name of a prim")
        prim = Prim(schema, name)
        prim.metadata = self.metadata()
        self.take("{")
        while self.peek() != "}":
            if self.peek() == "def":
                prim.prims.append(self.prim())
            else:
                self.property(prim)
        self.take("}")
        if len({child.name for child in prim.prims}) != len(prim.prims):
            self.fail(f"{prim}: two children of the same name")
        check_prim(self, prim)
        return prim


def check_prim(reader, prim):
    """What a schema asks of its numbers."""
    counts = {len(rows) for rows in prim.samples.get("points", {}).values()}
    if prim.schema in ("Mesh", "BasisCurves", "Points") and len(counts) != 1:
        reader.fail(f"{prim}: {counts} points at different times")
    if prim.schema == "Mesh":
        corners = prim.values["faceVertexIndices"]
        if sum(prim.values["faceVertexCounts"]) != len(corners) or not all(0 <= v < max(counts) for v in corners):
            reader.fail(f"{prim}: corners")
        if len(prim.values.get("primvars:st", corners)) != len(corners):
            reader.fail(f"{prim}: st is not one per corner")
    if prim.schema == "BasisCurves" and sum(prim.values["curveVertexCounts"]) != max(counts):
        reader.fail(f"{prim}: points of curves")
    for name in ("velocities", *(key for key in prim.samples if key.startswith("primvars:"))):
        if any(len(rows) != max(counts) for rows in prim.samples.get(name, {}).values()):
            reader.fail(f"{prim}: {name} is not one per point")


def parse(text):
    """The stage, as a prim without a name."""
    reader = Reader(text)
    stage = Prim(None, None)
    stage.metadata = reader.metadata()
    while reader.peek() is not None:
        stage.prims.append(reader.prim())
    assert stage.metadata.get("defaultPrim") in {prim.name for prim in stage.prims}, "defaultPrim is not there"
    return stage
