import type { Route } from '../../../../examples/provider/route.ts'

/** The CHECK of a bundle, as JavaScript, and the expected response of the service. */
export interface HostileBundle {
  readonly name: string
  readonly check: string
  readonly expect: { readonly status: number; readonly error?: string }
}

/** Bundles that try to leak resources, memory above all. */
export const HOSTILE_BUNDLES: readonly HostileBundle[] = [
  {
    name: 'throws',
    check: 'throw new Error("x".repeat(100000))',
    expect: { status: 502, error: 'integration_failed' },
  },
  {
    name: 'returns an invalid result',
    check: 'return { status: "yes", rest: new Array(1000).fill("y".repeat(100)) }',
    expect: { status: 502, error: 'integration_bad_output' },
  },
  {
    name: 'returns too much',
    check: 'return { status: false, error: "z".repeat(3000000) }',
    expect: { status: 502 },
  },
  {
    name: 'uses all memory',
    check: 'const kept = []; for (;;) kept.push(new Uint8Array(1000000).fill(1))',
    expect: { status: 502 },
  },
  {
    name: 'recurses forever',
    check: 'const deep = () => 1 + deep(); return { status: deep() > 0, error: "" }',
    expect: { status: 502 },
  },
  {
    name: 'leaves timers and promises behind',
    check:
      'for (let n = 0; n < 500; n++) { setTimeout(() => {}, 60000); new Promise(() => {}) } return { status: false, error: "left" }',
    expect: { status: 200 },
  },
  {
    name: 'accumulates data in globals',
    check:
      'globalThis.hoard = (globalThis.hoard ?? []).concat([new Uint8Array(8000000)]); return { status: hoard.length > 1, error: "hoard" }',
    expect: { status: 200 },
  },
  {
    name: 'floods the console',
    check:
      'for (let n = 0; n < 2000; n++) console.log("w".repeat(1000)); return { status: false, error: "wrote" }',
    expect: { status: 200 },
  },
]

/** Serves each bundle at `/hostile/<index>.js`. */
export function createHostileRoutes(): Route[] {
  return HOSTILE_BUNDLES.map(({ check }, index) => ({
    method: 'GET',
    path: new RegExp(`^/hostile/${index}\\.js$`),
    handle: () => ({
      status: 200,
      headers: { 'Content-Type': 'text/javascript' },
      body: createBundleCode(check),
    }),
  }))
}

function createBundleCode(check: string): string {
  return `module.exports = async (command, params) => {
  if (command === 'SPEC') return { auth_specification: { Token: { input_specification: { type: 'object', properties: { token: { type: 'string' } } } } } }
  if (command === 'CHECK') { ${check} }
  throw new Error('unknown command')
}
`
}
