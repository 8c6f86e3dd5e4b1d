# SPDX-License-Identifier: BSD-3-Clause
"""Reads what the tools write as JSON: results of MPI jobs, profiles, rooflines, gates, and files of regions.

    result = papi.results.read('papi_mpi_heat_1234.json')
    result.tables                # the names of the tables, and how many rows each has
    result.frame('regions')      # one of them as pandas.DataFrame
"""
import json


class Result:
    """kind: of what tool; facts: all that is not a table; rows(table): its rows as dicts; frame(table): as DataFrame."""

    def __init__(self, kind, content):
        self.kind, self.content = kind, content
        self._tables = _tables(kind, content)

    @property
    def tables(self):
        """{name: number of rows}."""
        return {name: len(rows) for name, rows in self._tables.items()}

    @property
    def facts(self):
        """What stands once: {name: value}, of objects as "object.name"."""
        content = self.content
        if self.kind == 'regions':  # the threads are the table, and numbers are texts
            content = {name: _number(value) for name, value in content.items() if name not in ('threads', 'papi_version')}
            content['papi_version'] = self.content.get('papi_version')
        return {name: value for name, value in _flat(content).items() if not isinstance(value, list)}

    def rows(self, table):
        """The rows of a table, as dicts with the same keys."""
        if table not in self._tables:
            raise KeyError('no table %r: there are %s%s' % (table, ', '.join(sorted(self._tables)) or 'none', self._hint()))
        return self._tables[table]

    def _hint(self):
        if self.kind == 'papi_profile' and 'strings' in self.content:
            return '. This is the file of a profile: "papi_profile --json --show=FILE" has routines, lines and loops of it'
        return ''

    def frame(self, table):
        """A table as pandas.DataFrame; counts keep all their digits."""
        import pandas
        rows = self.rows(table)
        columns = list(dict.fromkeys(name for row in rows for name in row))
        return pandas.DataFrame({name: _column(pandas, [row.get(name) for row in rows]) for name in columns})

    def __repr__(self):
        return '<%s: %s>' % (self.kind, ', '.join('%s (%d)' % pair for pair in self.tables.items()))


def _column(pandas, values):
    """Integers with gaps stay integers, which floating-point numbers could not hold."""
    known = [v for v in values if v is not None]
    if known and len(known) < len(values) and all(type(v) is int for v in known):
        return pandas.array(values, dtype='Int64' if all(abs(v) < 2 ** 63 for v in known) else 'object')
    return values


def read(path):
    """Reads one file. ValueError: it is not of these tools."""
    with open(path, encoding='utf-8') as file:
        try:
            content = json.load(file)
        except ValueError as error:
            raise ValueError('%s is not JSON: %s' % (path, error))
    kind = _kind(content)
    if kind is None:
        raise ValueError('%s is not a result of papi_mpirun, papi_profile, papi_roofline, papi_gate, papi_command_line, '
                         'or of regions' % path)
    return Result(kind, content)


def _kind(content):
    if not isinstance(content, dict):
        return None
    if isinstance(content.get('format'), str) and content['format'].startswith('papi_'):
        return content['format']
    for kind, keys in (('regions', {'threads', 'event_definitions'}), ('papi_profile', {'events', 'routines', 'lines'}),
                       ('papi_roofline', {'roofs'}), ('papi_command_line', {'machine', 'events', 'seconds'})):
        if keys <= set(content):
            return kind
    return None


def _tables(kind, content):
    if kind == 'regions':
        return {'regions': _regions(content)}
    found = {}
    names = _list_names(content)
    for name, value in content.items():
        if name == 'rows' and 'row_values' in content:
            found['ranks'] = [_rank(row, content) for row in value]
        else:
            _add_tables(found, name, value, names)
    return found


def _named(content, key):
    """The names of a list of objects, [] where it is none."""
    found = content.get(key)
    if isinstance(found, list) and all(isinstance(one, dict) and 'name' in one for one in found):
        return [one['name'] for one in found]
    return []


def _list_names(content):
    """The columns of lists in the rows, by the list's key: they follow the events, counters or formulas of the file."""
    found = {key: ['%s.%s' % (key, name) for name in _named(content, 'events')] for key in ('self', 'total', 'nest', 'values')}
    for key in ('counters', 'formulas'):
        found[key] = _named(content, key)
    return found


def _add_tables(found, name, value, names):
    """Lists of objects are tables, those of the objects' own lists, too, with the place of the row that they are of."""
    if isinstance(value, dict):
        for key, part in value.items():
            _add_tables(found, '%s.%s' % (name, key), part, names)
    if not isinstance(value, list) or not value or not all(isinstance(row, dict) for row in value):
        return
    rows = found.setdefault(name, [])
    for row in value:
        rows.append(_row(row, names))
        for key, part in row.items():
            if isinstance(part, list) and part and all(isinstance(inner, dict) for inner in part):
                for inner in part:
                    found.setdefault('%s.%s' % (name, key), []).append({'of': len(rows) - 1, **_row(inner, names)})


def _row(row, names):
    flat = {}
    for name, value in _flat(row).items():
        if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
            continue  # a table of its own
        columns = names.get(name, ())
        if isinstance(value, list) and value and len(value) == len(columns):
            flat.update(zip(columns, value))
        elif name in ('sum', 'squares') and isinstance(value, str):
            flat[name] = _number(value)  # digits of more than 64 bits
        else:
            flat[name] = value
    return flat


def _flat(value, before=''):
    """The members of an object and of the objects in it."""
    found = {}
    for name, part in value.items():
        if isinstance(part, dict):
            found.update(_flat(part, before + name + '.'))
        else:
            found[before + name] = part
    return found


def _rank(row, content):
    """A row of a job's result, whose values have their names in a list of their own."""
    flat = {name: value for name, value in _flat(row).items() if not isinstance(value, list)}
    flat.update(zip(content['row_values'], row.get('values', [])))
    counters = [c['name'] for c in content.get('counters', [])]
    return {_counter_name(name, counters): value for name, value in flat.items()}


def _counter_name(name, counters):
    beginning, dot, number = name.rpartition('.')
    if dot and number.isdigit() and int(number) < len(counters):
        return counters[int(number)] if beginning == 'counter' else '%s.%s' % (beginning, counters[int(number)])
    return name


def _number(text):
    try:
        return int(text)
    except (TypeError, ValueError):
        try:
            return float(text)
        except (TypeError, ValueError):
            return text


def _regions(content):
    rows = []
    for thread, part in content['threads'].items():
        for number, region in part.get('regions', {}).items():
            row = {'thread': _number(thread), 'region': _number(number)}
            row.update({name: value if name == 'name' else _number(value) for name, value in _flat(region).items()})
            rows.append(row)
    return rows
