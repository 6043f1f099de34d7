import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { bootDebian, type Machine } from './boot-debian.ts'
import { readCommands } from './read-commands.ts'

// Needs root, and Debian's debootstrap and systemd-container: `npm run proof -- systemd`.
const RESTARTS = Number(process.env.SYSTEMD_RESTARTS ?? 7)
const ROOT = path.resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(path.join(tmpdir(), 'linchpin-systemd-'))
const root = path.join(folder, 'debian')
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 })

const READY = '/opt/linchpin/bin/node /opt/linchpin/bin/health.mjs'
const ENVIRONMENT_FILE = '/etc/linchpin/linchpin.env'
const API = 'http://127.0.0.1:3000'

describe('The unit under systemd, installed with the commands of docs/self-hosting.md', () => {
  let machine: Machine
  before(async () => {
    run(
      process.execPath,
      '--no-warnings',
      'scripts/release/main.ts',
      '--arch',
      'amd64',
      '--output',
      folder,
    )
    const packages = 'systemd-sysv,dbus,bubblewrap,curl,procps'
    run('debootstrap', '--variant=minbase', `--include=${packages}`, 'bookworm', root)
    for (const name of ['SHA256SUMS', 'linchpin-0.1.0-linux-amd64.tar.gz'])
      cpSync(path.join(folder, name), path.join(root, 'root', name))
    machine = await bootDebian(root)
  })
  after(async () => {
    await machine?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const show = (property: string) =>
    machine.run(`systemctl show linchpin --property=${property} --value`).trim()
  const log = () => machine.run('journalctl --unit=linchpin --output=cat --no-pager')
  const callApi = (path: string, ...more: string[]) =>
    machine.run(
      `curl --silent --fail-with-body --header "authorization: Bearer $(cat /var/lib/linchpin/owner-token)" ${more.join(' ')} ${API}${path}`,
    )

  it('starts, and runs bundles inside bubblewrap with a seccomp filter', () => {
    machine.run(String(readCommands('Tarball')[0]))
    machine.run(String(readCommands('systemd')[0]))
    const account = {
      integrationDefinitionId: 'acme_sandbox',
      authType: 'Api Key',
      config: { api_key: 'good' },
      integrationAccountName: 'Desk',
      accountIdentifier: 'customer-1',
    }
    const body = `--json '${JSON.stringify(account)}'`
    assert.match(callApi('/api/v1/integration_account', body), /"status":"active"/)
    assert.match(log(), /runner children run inside bubblewrap with a seccomp filter/)
    assert.match(callApi('/metrics'), /^linchpin_runner_confined 1$/m)
    const networks = machine.run(
      `for pid in $(pgrep --uid linchpin --full generated/sandbox.mjs) $(systemctl show linchpin --property=MainPID --value); do
        grep --count --extended-regexp '^(NoNewPrivs:.1|CapBnd:.0+|CapEff:.0+|Seccomp:.2)$' /proc/$pid/status
        readlink /proc/$pid/ns/net; done`,
    )
    const lines = networks.trim().split('\n')
    assert.ok(lines.length >= 6, networks)
    assert.ok(lines.filter((line) => !line.startsWith('net:')).every((count) => count === '4'))
    assert.ok(new Set(lines.filter((line) => line.startsWith('net:'))).size >= 2, networks)
  })

  it('is rated 3.0 or better, and may write to its data folder only', () => {
    const rating = machine.run('systemd-analyze security linchpin --no-pager')
    assert.ok(Number(/Overall exposure level .*: ([\d.]+)/.exec(rating)?.[1]) <= 3, rating)
    assert.equal(show('OOMPolicy'), 'continue')
    for (const file of ['/opt/linchpin/a', '/etc/a', '/usr/a', '/home/a', '/var/lib/a'])
      assert.throws(
        () =>
          machine.run(`nsenter -t $(systemctl show linchpin -p MainPID --value) -m touch ${file}`),
        /Read-only file system|Permission denied/,
      )
    assert.equal(machine.run('find /var/lib/linchpin -perm /077').trim(), '')
  })

  it('reads its keys from a credential, and so do the commands of the operator', () => {
    const [, credential, commands] = readCommands('systemd')
    machine.run(`${credential}until ${READY}; do sleep 1; done`)
    assert.throws(() => machine.run('ls /var/lib/linchpin/keys'), /No such file/)
    assert.match(machine.run(String(commands)), /Nothing is wrong/)
    machine.run('test -s /var/backups/linchpin/*.db')
  })

  it('drains when it is stopped, and exits with 0', async () => {
    machine.run(`echo LINCHPIN_DRAIN_DELAY=5 >> ${ENVIRONMENT_FILE}; systemctl restart linchpin`)
    await machine.waitFor(READY, 30)
    machine.run('systemctl stop --no-block linchpin')
    await machine.waitFor(`curl --silent ${API}/health/ready | grep draining`, 4)
    await machine.waitFor('test "$(systemctl show linchpin -p ActiveState --value)" = inactive', 30)
    assert.deepEqual([show('Result'), show('ExecMainStatus')], ['success', '0'])
    machine.run(`sed -i /DRAIN/d ${ENVIRONMENT_FILE}; systemctl start linchpin`)
    await machine.waitFor(READY, 30)
  })

  it('starts again when it was killed, and leaves no child of the killed one', async () => {
    machine.run('systemctl kill --kill-whom=main --signal=KILL linchpin')
    await machine.waitFor(
      `test "$(systemctl show linchpin -p NRestarts --value)" = 1 && ${READY}`,
      30,
    )
    const orphans = machine.run('ps -o pid= --ppid 1 -o args= | grep generated/sandbox.mjs || true')
    assert.equal(orphans, '')
  })

  it('stays down after exit code 78', async () => {
    machine.run(`echo PORT=none >> ${ENVIRONMENT_FILE}; systemctl restart linchpin`)
    await machine.waitFor('systemctl is-failed linchpin', 30)
    assert.deepEqual([show('ExecMainStatus'), show('NRestarts')], ['78', '0'])
    assert.match(log(), /PORT: must be a port/)
    machine.run(`sed -i /PORT/d ${ENVIRONMENT_FILE}; systemctl start linchpin`)
    await machine.waitFor(READY, 30)
  })

  it(`is started again ${RESTARTS} times while PostgreSQL is down, and serves when the cause is gone`, async () => {
    machine.run(`cp ${ENVIRONMENT_FILE} /root/before.env
      echo DATABASE_URL=postgres://a:b@127.0.0.1:5432/c >> ${ENVIRONMENT_FILE}
      echo LINCHPIN_TOKEN=$(/opt/linchpin/bin/linchpin token --new) >> ${ENVIRONMENT_FILE}
      systemctl restart linchpin`)
    const hasRestarted = `test "$(systemctl show linchpin -p NRestarts --value)" -ge ${RESTARTS}`
    await machine.waitFor(hasRestarted, RESTARTS * 15)
    machine.run(`cp /root/before.env ${ENVIRONMENT_FILE}`)
    await machine.waitFor(READY, 30)
  })

  it('serves the same accounts after an upgrade, and after going back', () => {
    const [upgrade, rollback] = readCommands('Upgrade and rollback')
    for (const [commands, release] of [
      [upgrade, 'linchpin-next'],
      [rollback, 'linchpin-0.1.0-linux-amd64'],
    ]) {
      machine.run(String(commands))
      const program = 'readlink /proc/$(systemctl show linchpin -p MainPID --value)/exe'
      assert.equal(machine.run(program).trim(), `/opt/${release}/bin/node`)
      assert.match(callApi('/api/v1/integration_account'), /"accountIdentifier":"customer-1"/)
    }
  })
})
