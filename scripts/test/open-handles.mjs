import { setTimeout as sleep } from 'node:timers/promises'

/** What a test must close. The connections of a server are closed with it. */
const CLOSED_BY_TESTS = ['TCPServerWrap', 'PipeServerWrap', 'ProcessWrap', 'Worker']
const GRACE_MS = 2_000

/** The servers and programs that this process has open and does not close soon. */
export async function listOpenHandles() {
  const deadline = Date.now() + GRACE_MS
  while (listNow().length > 0 && Date.now() < deadline) await sleep(50)
  return listNow()
}

function listNow() {
  return process.getActiveResourcesInfo().filter((name) => CLOSED_BY_TESTS.includes(name))
}
