// A service that runs a spinning bundle, prints the pid of its runner child, and waits to be killed.
import { createEgressGateway, createRunner } from '../src/index.ts'
import { createBundle, wrapInMain } from './hostile/harness.ts'

const TENANT = { workspaceId: 'workspace' }

let pid: unknown
const runner = createRunner({
  egressGateway: createEgressGateway({ allow: [] }),
  children: 1,
  log(_level, _message, detail) {
    pid ??= detail?.pid
  },
})
await runner.ready()
void runner.run({
  bundle: createBundle(wrapInMain('for (;;) {}')),
  tenant: TENANT,
  command: 'CHECK',
  params: {},
})
setTimeout(() => console.log(pid), 300)
