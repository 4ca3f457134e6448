/** For a screen and for paper: no colour says what no word says, and no row is cut by the end of a page. */
export const STYLE = `
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: #1c1c1c; background: #fff; max-width: 62rem; margin: 2rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; border-bottom: 1px solid #bbb; padding-bottom: .2rem; break-after: avoid; }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; break-after: avoid; }
p { margin: .4rem 0; }
.lead { color: #555; }
.verdict { border: 2px solid #1a7f37; padding: .7rem 1rem; margin: 1.2rem 0; break-inside: avoid; }
.verdict.bad { border-color: #b3261e; }
.verdict strong { font-size: 1.05rem; }
dl { display: grid; grid-template-columns: 11rem 1fr; gap: .15rem 1rem; margin: .4rem 0; }
dt { color: #555; }
dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-size: .88rem; }
th { white-space: nowrap; text-align: left; color: #555; font-weight: 600; border-bottom: 1px solid #888; }
th, td { padding: .25rem .6rem .25rem 0; vertical-align: top; overflow-wrap: anywhere; }
td { border-bottom: 1px solid #e2e2e2; }
td:first-child, .whole { white-space: nowrap; }
tr { break-inside: avoid; }
thead { display: table-header-group; }
code, .hash { font: .85em ui-monospace, monospace; overflow-wrap: anywhere; }
.refused, .failed { font-weight: 700; }
@media print { body { margin: 0; max-width: none; padding: 0; font-size: 10.5pt; } }
@page { size: A4; margin: 16mm; }
`;
