/**
 * Builds the documentation site into `site/dist`: writes its pages from the documents and the OpenAPI document, then runs
 * VitePress, which the first run installs in `site/`. After that, it needs no network.
 *
 * Usage: npm run site
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { testApp } from '../../packages/server/test/test-app.ts'
import { createIntegrationPages } from './create-integration-pages.ts'
import { writePages } from './write-pages.ts'

const root = path.resolve(import.meta.dirname, '../..')
const site = path.join(root, 'site')
const vitePress = path.join(site, 'node_modules/vitepress')

// `npm ci` of npm 11 rejects a lockfile that has the optional packages of Linux only; this installs what the lockfile has.
if (!isInstalled()) run('npm', ['install', '--no-save', '--ignore-scripts'])
const t = await testApp()
const document = JSON.parse(JSON.stringify(t.app.swagger()))
await t.close()
writePages(root, path.join(site, 'generated/pages'), document, await createIntegrationPages())
run(process.execPath, [path.join(vitePress, 'bin/vitepress.js'), 'build', '.'])
process.exit()

/** Whether the version of VitePress that the lockfile pins is installed. */
function isInstalled(): boolean {
  const file = path.join(vitePress, 'package.json')
  if (!existsSync(file)) return false
  const lock = JSON.parse(readFileSync(path.join(site, 'package-lock.json'), 'utf8'))
  const { version } = JSON.parse(readFileSync(file, 'utf8'))
  return version === lock.packages['node_modules/vitepress'].version
}

function run(program: string, args: readonly string[]): void {
  const { status } = spawnSync(program, args, { cwd: site, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
