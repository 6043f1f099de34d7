import { random } from './bindings/random.js'
import { queueMicrotask } from './bindings/ticks.js'
import { console, process } from './node/process.js'
import * as timers from './node/timers.js'
import {
  AbortController,
  AbortSignal,
  CustomEvent,
  Event,
  EventTarget,
} from './web/event-target.js'
import { fillLanguageGaps } from './web/language-gaps.js'

// The globals that the packages of the guest script look for while they load: imported before all of them.
const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } =
  timers

Object.assign(globalThis, { global: globalThis, console, process, queueMicrotask })
Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval })
Object.assign(globalThis, { setImmediate, clearImmediate })
Object.assign(globalThis, { AbortController, AbortSignal, Event, EventTarget, CustomEvent })
Math.random = random
fillLanguageGaps()

// node-inspect-extracted lists the members of Atomics while it loads. The engine has none: `main.js` removes this one.
globalThis.Atomics = {}
