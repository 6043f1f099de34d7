import { readFileSync } from 'node:fs'
import { openChannel } from './channel.ts'
import { Codes } from './codes.ts'
import type { RunningCall, Step } from './engine.ts'
import type { CallStep, HostMessage } from './messages.ts'
import { QuickJsEngine } from './quickjs-engine.ts'

/** Shorter stretches of computing hold up no other call, in milliseconds. */
const NOTICED_MS = 1

// A runner child: `node … main.ts <guest script>`, with nothing but a pipe to its host.
const calls = new Map<number, RunningCall>()
const codes = new Codes()
let entered = 0
let isRestDue = false
let steps = new Map<number, CallStep>()

process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)

const engine = await QuickJsEngine.create(readFileSync(process.argv[2] ?? '', 'utf8'))
const { send } = openChannel(receive)
send({ type: 'ready' })

function receive(message: HostMessage): void {
  restSoon()
  if (message.type === 'run') start(message)
  else if (message.type === 'code') codes.give(message.sha256, message.code)
  else if (message.type === 'cancel') calls.get(message.call)?.cancel()
  else if (message.type === 'response') {
    calls.get(message.call)?.respond(message.request, message.head, message.body)
  } else calls.get(message.call)?.refuse(message.request, message.error)
}

function start({
  call,
  sha256,
  command,
  params,
  limits,
  sliceMs,
}: HostMessage & { type: 'run' }): void {
  const code = () => codes.get(sha256, () => send({ type: 'need', sha256, call }))
  const running = engine.start(
    { sha256, command, params, limits, sliceMs, code },
    {
      request: (request, text, body) => send({ type: 'request', call, request, text, body }),
      abort: (request) => send({ type: 'abort', call, request }),
      entering: () => enter(call),
      left: (step) => left(call, step),
    },
  )
  calls.set(call, running)
  void running.finished.then(({ outcome, logs }) => {
    calls.delete(call)
    send({ type: 'end', call, outcome, logs, rss: process.memoryUsage.rss() })
  })
}

// Not even a lost child is to be blamed on a call that only waited.
function enter(call: number): void {
  restSoon()
  if (entered === call) return
  entered = call
  send({ type: 'enter', call })
}

function left(call: number, step: Step): void {
  const { cpuMs = 0, wallMs = 0 } = steps.get(call) ?? {}
  const { bytes } = step
  // All of it between two rests holds up the others at a stretch.
  steps.set(call, { call, cpuMs: cpuMs + step.cpuMs, wallMs: wallMs + step.wallMs, bytes })
  if (step.wallMs < NOTICED_MS) return
  for (const [id, other] of calls) if (id !== call) other.extend(step.wallMs)
}

// The host gives the next call its turn then.
function restSoon(): void {
  if (isRestDue) return
  isRestDue = true
  setImmediate(() => {
    isRestDue = false
    entered = 0
    send({ type: 'rest', steps: [...steps.values()] })
    steps = new Map()
  })
}

function crash(error: unknown): void {
  send({ type: 'crash', message: error instanceof Error ? error.message : 'unknown' })
  setTimeout(() => process.exit(1), 20)
}
