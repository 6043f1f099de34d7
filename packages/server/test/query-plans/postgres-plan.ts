import pg from 'pg'
import { isWalk } from './large-tables.ts'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Recheck Cond'?: string
  readonly Filter?: string
  readonly Plans?: readonly PlanNode[]
}

/**
 * Explains statements on a PostgreSQL database, with current statistics and without steps that pay only while tables are
 * small: sequential scans, and joins that read both tables.
 */
export async function createPostgresExplainer(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('analyze')
  for (const step of ['seqscan', 'hashjoin', 'mergejoin'])
    await client.query(`set enable_${step} = off`)
  await client.query('set plan_cache_mode = force_generic_plan')
  const { rows } = await client.query('select distinct column_name from information_schema.columns')
  const columns: ReadonlySet<string> = new Set(rows.map((row) => row.column_name))
  return {
    /** The first step that reads a whole workspace or table; `undefined` if there is none. */
    async findWalk(sql: string): Promise<string | undefined> {
      const count = Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map((match) => Number(match[1])))
      const values = count === 0 ? '' : `(${Array(count).fill('null').join(', ')})`
      await client.query(`prepare explained as ${sql}`)
      try {
        const explained = await client.query(`explain (format json) execute explained${values}`)
        const plan: PlanNode = explained.rows[0]['QUERY PLAN'][0].Plan
        return findWalk(plan, columns, false)
      } finally {
        await client.query('deallocate explained')
      }
    },
    close: () => client.end(),
  }
}

/** `canStop`: a LIMIT may end the scan early, because no step between them needs all rows. */
function findWalk(
  node: PlanNode,
  columns: ReadonlySet<string>,
  canStop: boolean,
): string | undefined {
  const table = node['Relation Name']
  const condition = node['Index Cond'] ?? node['Recheck Cond']
  if (table !== undefined && /Scan$/.test(node['Node Type'])) {
    const words = (condition?.match(/[a-z_0-9]+/g) ?? []).filter((word) => columns.has(word))
    if (isWalk(table, words, node['Index Name']) && !(canStop && node.Filter === undefined))
      return `${node['Node Type']} of ${table}, condition ${condition}, filter ${node.Filter}`
  }
  const isLimit = node['Node Type'] === 'Limit'
  const needsAllRows = /Sort$|Aggregate|^Hash$|Materialize|Unique/.test(node['Node Type'])
  for (const child of node.Plans ?? []) {
    const walk = findWalk(child, columns, isLimit || (canStop && !needsAllRows))
    if (walk !== undefined) return walk
  }
  return undefined
}
