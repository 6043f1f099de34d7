import type { Registry } from 'prom-client'
import type { Database } from '../../platform/storage/database.ts'
import { createHistogram } from './metrics/create-histogram.ts'
import type { Instruments } from './metrics/instruments.ts'

/** Registers the metrics of the connections and reads of one process: each worker has its own. */
export function registerDatabaseMetrics(
  registry: Registry,
  { gauge }: Instruments,
  database: Pick<Database, 'connections' | 'onRead'>,
): void {
  const reads = createHistogram('linchpin_database_read_duration_seconds')
  registry.registerMetric(reads)
  database.onRead((kind, seconds) => reads.observe({ kind }, seconds))
  gauge('linchpin_database_connections', () =>
    database.connections().flatMap(({ pool, used, idle }) => [
      { labels: { pool, state: 'used' }, value: used },
      { labels: { pool, state: 'idle' }, value: idle },
    ]),
  )
  gauge('linchpin_database_waiting', () =>
    database.connections().map(({ pool, waiting }) => ({ labels: { pool }, value: waiting })),
  )
}
