import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { RECORD_EVENTS_SCRIPT } from './host-page.ts'
import type { HostSite } from './host-site.ts'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

/**
 * Serves a page of the host that is a React 18 app in StrictMode. `body` is the body of the component `App`: it may use
 * `h`, `useState` and the bindings of `imports`, and record events in `window.told`. `rerender()` renders it again.
 */
export async function serveReactPage(
  host: HostSite,
  { path, imports, body, head = '' }: ReactPage,
): Promise<string> {
  const code = `${imports}
import { createElement as h, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
${RECORD_EVENTS_SCRIPT}
function App() {
  const [count, setCount] = useState(0)
  window.rerender = () => setCount((before) => before + 1)
  const told = window.told
  ${body}
}
const root = createRoot(document.getElementById('root'))
window.unmount = () => root.unmount()
root.render(h(StrictMode, null, h(App)))`
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: ROOT },
    bundle: true,
    write: false,
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"development"' },
    logLevel: 'error',
  })
  host.script(`${path}.js`, outputFiles[0]?.text ?? '')
  return host.serve(
    path,
    `<!doctype html><html lang="en"><title>Host</title><head>${head}</head><body><div id="root"></div>
<script src="${path}.js"></script></body></html>`,
  )
}

interface ReactPage {
  readonly path: string
  readonly imports: string
  readonly body: string
  /** Content of `<head>`, before the app. */
  readonly head?: string
}
