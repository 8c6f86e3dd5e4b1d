# SPDX-License-Identifier: BSD-3-Clause
"""%papi and %%papi of IPython and Jupyter: %load_ext papi."""
import html

from .event_set import DEFAULT, EventSet


class Table:
    """Counts of a cell, as text and as a small table of HTML."""

    def __init__(self, counts, seconds):
        self.counts, self.seconds = dict(counts), seconds

    def rows(self):
        found = [(name, '%.6g' % count if isinstance(count, float) else format(count, ',')) for name, count in
                 self.counts.items()]
        return found + [('seconds', '%.6f' % self.seconds)]

    def __repr__(self):
        rows = self.rows()
        widths = [max(len(row[i]) for row in rows) for i in (0, 1)]
        return '\n'.join('%-*s  %*s' % (widths[0], name, widths[1], value) for name, value in rows)

    def _repr_html_(self):
        lines = ''.join('<tr><td style="text-align:left">%s</td><td>%s</td></tr>' % (html.escape(name), value)
                        for name, value in self.rows())
        return '<table>%s</table>' % lines


def papi_magic(line, cell=None):
    """Counts a cell: %%papi [EVENT...], or a line: %papi STATEMENT.

    Without events: instructions and cycles. The figures are of the thread that runs the cell.
    """
    from IPython import get_ipython
    shell = get_ipython()
    names, code = (line.split(), cell) if cell is not None else ((), line)
    compiled = compile(shell.transform_cell(code), '<papi>', 'exec')
    with EventSet(*(names or DEFAULT)) as events:
        exec(compiled, shell.user_ns)
    return Table(events.counts, events.seconds)


def load_ipython_extension(shell):
    """Called by %load_ext papi."""
    shell.register_magic_function(papi_magic, 'line_cell', 'papi')
