import {
  type CountingProvider,
  startCountingProvider,
} from '../../../src/accounts/accounts/token-refresh/test/counting-provider.ts'

/** What the test sends: changes of one provider, or undefined to get the counts of all. */
export interface ProviderChange {
  readonly host: string
  readonly change: Partial<Pick<CountingProvider, 'mode' | 'latencyMs' | 'graceMs'>>
}

/** A process with several providers, each on a port of its own. Replies to each message with their counts. */
const [count, latencyMs] = process.argv.slice(2)
const providers = await Promise.all(
  Array.from({ length: Number(count) }, () => startCountingProvider(Number(latencyMs))),
)
const reply = () => process.send?.(providers.map(({ host, counts }) => ({ host, ...counts })))
process.on('message', ({ host, change }: Partial<ProviderChange>) => {
  const provider = providers.find((one) => one.host === host)
  if (provider !== undefined) Object.assign(provider, change)
  reply()
})
process.on('disconnect', () => process.exit())
reply()
