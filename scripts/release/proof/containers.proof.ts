import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { readCommands } from './read-commands.ts'
import { type Docker, startDocker } from './start-docker.ts'

// Needs root, and Debian's buildah, docker.io and curl: `npm run proof -- containers`.
const ROOT = path.resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(path.join(tmpdir(), 'linchpin-containers-'))
const API = 'http://127.0.0.1:3000'
const WAIT = 'for try in $(seq 60)'
const ACCOUNT = JSON.stringify({
  integrationDefinitionId: 'acme_sandbox',
  authType: 'Api Key',
  config: { api_key: 'good' },
  integrationAccountName: 'Desk',
  accountIdentifier: 'customer-1',
})

describe('The image in Docker, with the commands of docs/self-hosting.md', () => {
  let docker: Docker
  before(async () => {
    const args = ['scripts/release/main.ts', '--arch', 'amd64', '--image', '--output', folder]
    execFileSync(process.execPath, ['--no-warnings', ...args], { cwd: ROOT })
    cpSync(path.join(ROOT, 'deploy'), path.join(folder, 'deploy'), { recursive: true })
    docker = await startDocker(folder)
  })
  after(async () => {
    await docker?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const inspect = (format: string) =>
    docker.run(`docker inspect --format '{{${format}}}' linchpin`).trim()
  const waitUntilReady = () =>
    docker.run(
      `${WAIT}; do curl --silent --fail ${API}/health/ready && exit 0; sleep 1; done; exit 1`,
    )
  const callApi = (path: string, more = '') =>
    docker.run(`token=$(docker exec linchpin linchpin token --owner)
      curl --silent --fail-with-body --header "authorization: Bearer $token" ${more} ${API}${path}`)
  const evaluate = (code: string) =>
    docker.run(`docker exec linchpin /opt/linchpin/bin/node --eval "${code}"`).trim()

  it('becomes healthy, read-only and unprivileged, and runs commands', () => {
    assert.match(docker.run(String(readCommands('Container image')[0])), /Nothing is wrong/)
    const isHealthy = `docker inspect --format '{{.State.Health.Status}}' linchpin | grep -x healthy`
    docker.run(`${WAIT}; do ${isHealthy} && exit 0; sleep 1; done; exit 1`)
    assert.equal(evaluate('console.log(process.getuid())'), '65532')
    for (const file of ['/a', '/usr/a', '/opt/linchpin/a'])
      assert.throws(() => evaluate(`fs.writeFileSync('${file}', '')`), /EROFS/)
    assert.match(callApi('/api/v1/integration_account', `--json '${ACCOUNT}'`), /"status":"active"/)
    assert.match(docker.run('docker logs linchpin'), /bubblewrap does not work here/)
    assert.match(callApi('/metrics'), /^linchpin_runner_confined 0$/m)
  })

  it('starts again with Docker, with the same accounts', async () => {
    await docker.restart()
    waitUntilReady()
    assert.match(callApi('/api/v1/integration_account'), /"accountIdentifier":"customer-1"/)
  })

  it('drains when it is stopped, and exits with 0', () => {
    docker.run('docker stop linchpin')
    assert.equal(inspect('.State.ExitCode'), '0')
    docker.run('docker rm linchpin')
  })

  it('runs bundles inside bubblewrap with deploy/seccomp.json and uncovered system paths', () => {
    docker.run(String(readCommands('Isolation of bundles in containers')[0]))
    waitUntilReady()
    assert.match(callApi('/api/v1/integration_account', `--json '${ACCOUNT}'`), /"status":"active"/)
    const log = docker.run('docker logs linchpin')
    assert.match(log, /runner children run inside bubblewrap with a seccomp filter/)
    assert.match(callApi('/metrics'), /^linchpin_runner_confined 1$/m)
  })
})
