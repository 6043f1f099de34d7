import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parseAllDocuments } from 'yaml'
import { KUBERNETES_SCHEMAS } from '../kubernetes-schema.ts'

// Needs kubectl and systemd-analyze: `npm run proof -- release`.
const ROOT = path.resolve(import.meta.dirname, '../../..')
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: ROOT, encoding: 'utf8' })

describe('deploy/', () => {
  it('has manifests that kubectl kustomize renders validly, and a unit rated 3.0 or better', () => {
    const rendered = parseAllDocuments(run('kubectl', 'kustomize', 'deploy/kubernetes'))
    assert.equal(rendered.length, 6)
    for (const document of rendered) {
      const resource = document.toJS()
      const validate = new Ajv2020().compile(KUBERNETES_SCHEMAS[resource.kind] ?? { not: {} })
      assert.ok(validate(resource), `${resource.kind}: ${JSON.stringify(validate.errors)}`)
    }
    const unit = 'deploy/linchpin.service'
    const rating = run('systemd-analyze', 'security', '--offline=true', unit)
    assert.ok(Number(/Overall exposure level .*: ([\d.]+)/.exec(rating)?.[1]) <= 3, rating)
  })
})
