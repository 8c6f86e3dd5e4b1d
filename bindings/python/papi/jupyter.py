# SPDX-License-Identifier: BSD-3-Clause
"""%papi and %%papi of IPython and Jupyter: %load_ext papi."""
import ast
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


def _compiled(shell, code):
    """The statements, and the expression at the end, whose value a cell shows; None where there is none."""
    code = shell.transform_cell(code)
    tree, name = ast.parse(code), shell.compile.cache(code)  # so that a traceback has the lines
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = compile(ast.Expression(last.value), name, 'eval') if last is not None else None
    return compile(tree, name, 'exec'), value


def papi_magic(line, cell=None):
    """Counts a cell: %%papi [EVENT...], or a line: %papi STATEMENT.

    Without events: instructions and cycles. The figures are of the thread that runs the cell. The value of an expression
    at the end is shown, unless a semicolon follows it.
    """
    from IPython import get_ipython
    from IPython.display import display
    shell = get_ipython()
    names, code = (shell.var_expand(line).split(), cell) if cell is not None else ((), line)
    statements, last = _compiled(shell, code)
    value = None
    with EventSet(*(names or DEFAULT)) as events:
        exec(statements, shell.user_ns)
        if last is not None:
            value = eval(last, shell.user_ns)
    if value is not None and not code.rstrip().endswith(';'):
        display(value)
    return Table(events.counts, events.seconds)


# Braces and dollars of a statement are its own; those of a list of events are variables: %%papi {events}.
papi_magic._ipython_magic_no_var_expand = True


def load_ipython_extension(shell):
    """Called by %load_ext papi."""
    shell.register_magic_function(papi_magic, 'line_cell', 'papi')
