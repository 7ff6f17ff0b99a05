// SPDX-License-Identifier: GPL-2.0-or-later
// A click on a column's title sorts its table by that column; a second one turns the order round.
for (const table of document.querySelectorAll("table.sort")) {
	const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
	const value = (row, i) => row.cells[i].dataset.v ?? row.cells[i].textContent;
	const sort = (i) => {
		const down = heads[i].ariaSort !== "descending", rows = [...body.rows];
		const numbers = rows.every((row) => value(row, i) === "" || !isNaN(value(row, i)));
		rows.sort((a, b) => {
			const x = value(a, i), y = value(b, i);
			return (numbers ? x - y : x.localeCompare(y, undefined, { numeric: true })) * (down ? -1 : 1);
		});
		heads.forEach((head, k) => { head.ariaSort = k === i ? (down ? "descending" : "ascending") : null; });
		body.append(...rows);
	};
	heads.forEach((head, i) => {
		head.tabIndex = 0;
		head.onclick = () => sort(i);
		head.onkeydown = (event) => { if (event.key === "Enter") sort(i); };
	});
}
