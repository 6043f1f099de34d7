import { type Panel, ROWS } from './dashboard-panels.ts'

const COLUMNS = 3
const WIDTH = 24 / COLUMNS
const HEIGHT = 8

/** deploy/grafana/linchpin.json: a dashboard for Grafana 10 and later, whose data source is chosen on it. */
export function renderDashboard(): string {
  let y = 0
  const panels = ROWS.flatMap(({ title, panels: inRow }, rowIndex) => {
    const row = { type: 'row', title, id: 100 * (rowIndex + 1), gridPos: { x: 0, y, w: 24, h: 1 } }
    y += 1
    const placed = inRow.map((panel, index) => ({
      ...createPanel(panel),
      id: row.id + index + 1,
      gridPos: {
        x: (index % COLUMNS) * WIDTH,
        y: y + Math.floor(index / COLUMNS) * HEIGHT,
        w: WIDTH,
        h: HEIGHT,
      },
    }))
    y += Math.ceil(inRow.length / COLUMNS) * HEIGHT
    return [row, ...placed]
  })
  return `${JSON.stringify({ ...DASHBOARD, panels }, undefined, 2)}\n`
}

const DATA_SOURCE = { type: 'prometheus', uid: `\${datasource}` }

const DASHBOARD = {
  uid: 'linchpin',
  title: 'Linchpin',
  tags: ['linchpin'],
  schemaVersion: 38,
  version: 1,
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
}

function createPanel({ title, unit, lines }: Panel) {
  return {
    type: 'timeseries',
    title,
    datasource: DATA_SOURCE,
    fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10 } }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: lines.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: DATA_SOURCE,
      expr,
      legendFormat,
    })),
  }
}
