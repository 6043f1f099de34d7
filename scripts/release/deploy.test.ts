import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { PARSERS } from '../../packages/server/src/app/start/environment.ts'
import { settings } from '../../packages/server/src/platform/config/settings.ts'
import { KUBERNETES_SCHEMAS } from './kubernetes-schema.ts'

const DEPLOY = path.resolve(import.meta.dirname, '../../deploy')
const read = (file: string) => readFileSync(path.join(DEPLOY, file), 'utf8')
const { version } = JSON.parse(read('../package.json'))
const NAMES = Object.values(settings(PARSERS)).map(({ name }) => name)
const isSetting = (name: string) =>
  NAMES.includes(name) || NAMES.includes(name.replace(/_FILE$/, ''))

describe('deploy/kubernetes', () => {
  const kustomization = parse(read('kubernetes/kustomization.yaml'))
  const resources: { kind: string; spec: Record<string, unknown> }[] = kustomization.resources.map(
    (file: string) => parse(read(`kubernetes/${file}`)),
  )
  const deployment = resources.find(({ kind }) => kind === 'Deployment')
  const spec = parse(read('kubernetes/deployment.yaml')).spec
  const pod = spec.template.spec
  const [container] = pod.containers
  const literals = new Map<string, string>(
    kustomization.configMapGenerator[0].literals.map((each: string) => each.split('=')),
  )

  it('has resources of known kinds with known fields, at the restricted level', () => {
    assert.equal(resources.length, 5)
    const ajv = new Ajv2020({ allErrors: true })
    for (const each of resources) {
      const validate = ajv.compile(KUBERNETES_SCHEMAS[each.kind] ?? { not: {} })
      assert.ok(validate(each), `${each.kind}: ${ajv.errorsText(validate.errors)}`)
      const misspelt = structuredClone(each)
      Object.assign(misspelt.spec ?? misspelt, { replica: 2 })
      assert.equal(validate(misspelt), false)
    }
    assert.ok(deployment)
  })

  it('gives a pod more time to end than its drain settings, and notices before the delay ends', () => {
    const delay = Number(literals.get('LINCHPIN_DRAIN_DELAY'))
    const timeout = Number(literals.get('LINCHPIN_DRAIN_TIMEOUT'))
    assert.ok(pod.terminationGracePeriodSeconds > delay + timeout)
    const { periodSeconds, failureThreshold } = container.readinessProbe
    assert.ok(periodSeconds * failureThreshold < delay)
  })

  it('selects the pods everywhere, and runs two of this version', () => {
    const labels = { 'app.kubernetes.io/name': 'linchpin' }
    assert.deepEqual(spec.template.metadata.labels, labels)
    assert.deepEqual(spec.selector.matchLabels, labels)
    assert.equal(spec.replicas, 2)
    const selectors = resources
      .filter(({ kind }) => kind !== 'ServiceAccount')
      .map((each) => each.spec)
    for (const each of selectors)
      assert.match(JSON.stringify(each.selector ?? each.podSelector), /"linchpin"/)
    assert.equal(container.image, `linchpin:${version}`)
  })

  it('uses settings that exist', () => {
    for (const name of [
      ...literals.keys(),
      ...container.env.map((each: { name: string }) => each.name),
    ])
      assert.ok(isSetting(name), name)
  })
})

describe('deploy/compose.yaml', () => {
  const { services, secrets } = parse(read('compose.yaml'))
  const { linchpin } = services

  it('runs this version read-only, without capabilities, with secrets from files', () => {
    assert.equal(linchpin.image, `\${LINCHPIN_IMAGE:-linchpin:${version}}`)
    assert.deepEqual([linchpin.read_only, linchpin.cap_drop], [true, ['ALL']])
    assert.deepEqual(linchpin.security_opt, ['no-new-privileges:true'])
    for (const name of Object.keys(linchpin.environment)) assert.ok(isSetting(name), name)
    const used = Object.values(services).flatMap(
      (each) => (each as { secrets?: string[] }).secrets ?? [],
    )
    assert.deepEqual(used.toSorted(), Object.keys(secrets).toSorted())
    for (const [name, value] of Object.entries(linchpin.environment))
      if (name.endsWith('_FILE')) assert.ok(linchpin.secrets.includes(path.basename(String(value))))
  })

  it('starts every service again with the machine, and limits its log', () => {
    for (const each of Object.values<Record<string, unknown>>(services)) {
      assert.equal(each.restart, 'unless-stopped')
      assert.ok(parse(JSON.stringify(each.logging)).options['max-size'])
    }
  })

  it('starts Caddy only with the profile tls, and PostgreSQL on an internal network', () => {
    assert.deepEqual(services.caddy.profiles, ['tls'])
    assert.deepEqual(services.postgres.networks, ['database'])
    assert.equal(parse(read('compose.yaml')).networks.database.internal, true)
  })
})

describe('deploy/linchpin.service', () => {
  const unit = read('linchpin.service')

  it('leaves bubblewrap what it needs', () => {
    const set = unit.split('\n').filter((line) => !line.startsWith('#'))
    const names = set.map((line) => line.split('=')[0])
    for (const name of ['ProtectProc', 'ProcSubset', 'ProtectKernelTunables', 'ProtectKernelLogs'])
      assert.ok(!names.includes(name), name)
    assert.ok(set.includes('RestrictNamespaces=user pid net ipc mnt uts cgroup'))
    assert.ok(set.includes('SystemCallFilter=@system-service @mount'))
    assert.match(unit, /^RestrictAddressFamilies=.*AF_NETLINK/m)
  })

  it('restarts for as long as an outage takes, also when a runner child ran out of memory', () => {
    for (const line of ['Restart=on-failure', 'StartLimitIntervalSec=0', 'OOMPolicy=continue'])
      assert.ok(unit.split('\n').includes(line), line)
  })

  it('does not restart after exit code 78, and waits longer than the default drain timeout', () => {
    assert.match(unit, /^RestartPreventExitStatus=78$/m)
    assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > 25)
  })
})

describe('deploy/proxy', () => {
  const haproxy = read('proxy/haproxy.cfg')
  const nginx = read('proxy/nginx.conf')
  const caddy = read('proxy/Caddyfile')

  it('lets no client choose the host, and so reach a console that has another one', () => {
    assert.match(nginx, /^ {2}proxy_set_header Host connect\.example\.com;$/m)
    assert.match(haproxy, /^ {2}http-request set-header Host connect\.example\.com$/m)
    // Caddy serves only this host.
    assert.match(caddy, /^connect\.example\.com \{$/m)
  })

  it('lets no client choose the id or the trace of a request, which Linchpin believes its proxy', () => {
    for (const line of [
      'http-request set-header X-Request-Id %[unique-id]',
      'http-request del-header traceparent',
      'http-request del-header tracestate',
    ])
      assert.ok(haproxy.includes(`\n  ${line}\n`), line)
    for (const line of [
      'proxy_set_header X-Request-Id $request_id;',
      'proxy_set_header traceparent "";',
      'proxy_set_header tracestate "";',
    ])
      assert.ok(nginx.includes(`\n  ${line}\n`), line)
    // nginx inherits these only where no other one is set.
    assert.doesNotMatch(nginx.slice(nginx.indexOf('location / {')), /proxy_set_header/)
    for (const line of [
      'header_up X-Request-Id {http.request.uuid}',
      'header_up -traceparent',
      'header_up -tracestate',
    ])
      assert.ok(caddy.includes(`\n\t\t${line}\n`), line)
  })

  it('HAProxy hides /metrics in every spelling that leads there, and no other path', () => {
    const pattern = /acl is_metrics path,url_dec -m reg -i (\S+)\n/.exec(haproxy)?.[1] ?? ''
    const isHidden = (path: string) => new RegExp(pattern, 'i').test(decodeURIComponent(path))
    assert.match(haproxy, /\n {2}http-request return status 404 if is_metrics\n/)
    for (const path of [
      ...['/metrics', '/%6detrics', '/%6Detrics', '/metric%73', '//metrics', '/./metrics'],
      ...['/%2e/metrics', '/%2E%2e/metrics', '/metrics/', '/metrics%2f', '/METRICS', '/.//metrics'],
    ])
      assert.ok(isHidden(path), path)
    for (const path of ['/metricsx', '/api/v1/proxy/metrics', '/a/metrics', '/metrics/a', '/'])
      assert.ok(!isHidden(path), path)
  })
})
