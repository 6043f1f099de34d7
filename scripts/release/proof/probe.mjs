// Runs inside the root under test, with its Node and nothing else: starts the service, waits until it is ready, connects an
// account, which runs a bundle in a child process, asks the program linchpin for a token, and prints what it saw as JSON.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const url = 'http://127.0.0.1:3000'
// An emulated processor takes minutes.
const READY_MS = 240_000
const startedAt = performance.now()
const [server, ...args] = JSON.parse(process.env.PROBE_SERVER)
const child = spawn(server, args, { stdio: ['ignore', 'pipe', 'pipe'] })
let log = ''
for (const stream of [child.stdout, child.stderr])
  stream.on('data', (chunk) => {
    log += chunk
  })
const ended = new Promise((resolve) => child.once('exit', (...end) => resolve(end)))

const isReady = () =>
  fetch(`${url}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  )
while (child.exitCode === null && performance.now() - startedAt < READY_MS && !(await isReady()))
  await new Promise((resolve) => setTimeout(resolve, 20))
const readyMs = Math.round(performance.now() - startedAt)

const runProgram = (program, ...rest) => {
  try {
    return execFileSync(program, rest, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  } catch (error) {
    return `failed: ${error.message}`
  }
}
const health = runProgram(process.execPath, process.env.PROBE_HEALTH)
const token = runProgram(process.env.PROBE_LINCHPIN, 'token', '--owner')
const connect = () =>
  fetch(`${url}/api/v1/integration_account`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      integrationDefinitionId: 'acme_sandbox',
      authType: 'Api Key',
      config: { api_key: 'good' },
      integrationAccountName: 'Desk',
      accountIdentifier: 'customer-1',
    }),
  }).then(async (answer) => ({ status: answer.status, body: await answer.text() }))
let response = await connect()
// Until the first child is ready.
while (response.status === 503 && performance.now() - startedAt < READY_MS)
  response = await connect()

const tryToWrite = (file) => {
  try {
    writeFileSync(file, '')
    return 'written'
  } catch ({ code }) {
    return code
  }
}
const writes = ['/probe', '/opt/linchpin/probe', `${process.execPath}.probe`].map(tryToWrite)
child.kill('SIGTERM')
const [code, signal] = await ended
console.log(
  JSON.stringify({
    ...{ readyMs, health, account: response, writes, code, signal, log },
    uid: process.getuid(),
    hasShell: existsSync('/bin/sh'),
    interfaces: readFileSync('/proc/net/dev', 'utf8')
      .split('\n')
      .slice(2)
      .map((line) => line.split(':')[0].trim())
      .filter(Boolean),
  }),
)
