import { describeHostileCases, expectResult, wrapInMain } from './harness.ts'

describeHostileCases('a bundle that never stops computing', [
  { name: 'is stopped while it loads', code: 'for (;;) {}', expect: 'integration_timeout' },
  { name: 'is stopped in main', code: wrapInMain('for (;;) {}'), expect: 'integration_timeout' },
  {
    name: 'is stopped after an await',
    code: wrapInMain('await null; for (;;) {}'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a microtask',
    code: wrapInMain('Promise.resolve().then(() => { for (;;) {} }); await new Promise(() => {})'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a timer',
    code: wrapInMain('setTimeout(() => { for (;;) {} }, 5); await new Promise(() => {})'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a timer that it set while it loaded',
    code: `setTimeout(() => { for (;;) {} }, 1); ${wrapInMain('await new Promise(() => {})')}`,
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a flood of microtasks',
    code: wrapInMain('const next = () => Promise.resolve().then(next); await next()'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a flood of async functions',
    code: wrapInMain('const next = async () => { await null; return next() }; await next()'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped although it catches everything',
    code: wrapInMain('for (;;) { try { for (;;) {} } catch {} finally { continue } }'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a regular expression that backtracks',
    code: wrapInMain('return /^(a+)+$/.test("a".repeat(40) + "b")'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a nested regular expression with alternatives',
    code: wrapInMain('return /(x+x+)+y/.test("x".repeat(60))'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a replace whose callback loops',
    code: wrapInMain('return "abc".replace(/b/, () => { for (;;) {} })'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in toJSON of its result',
    code: wrapInMain('return { toJSON() { for (;;) {} } }'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a getter of its result',
    code: wrapInMain('return { get status() { for (;;) {} } }'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a getter of the error it throws',
    code: wrapInMain('throw { get message() { for (;;) {} } }'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a getter of the error it throws while it loads',
    code: 'throw { get message() { for (;;) {} } }',
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in toString of a value it throws',
    code: wrapInMain('throw { toString() { for (;;) {} }, get name() { return this.toString() } }'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a getter of its exports',
    code: 'module.exports = { get default() { for (;;) {} } }',
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a proxy trap',
    code: wrapInMain('return new Proxy({}, { ownKeys() { for (;;) {} } })'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a then that loops',
    code: wrapInMain('return { then() { for (;;) {} } }'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a loop inside the engine that never calls the interrupt handler',
    code: wrapInMain('return Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a join of four billion holes',
    code: wrapInMain('return new Array(2 ** 32 - 1).join("").length'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in an endless generator',
    code: wrapInMain('return [...(function* () { for (;;) yield* [] })()]'),
    expect: 'integration_timeout',
  },
  {
    name: 'is stopped in a sort whose comparison loops',
    code: wrapInMain('return [2, 1].sort(() => { for (;;) {} })'),
    expect: 'integration_timeout',
  },
  {
    name: 'does not compute any more once it has returned',
    code: wrapInMain('setTimeout(() => { for (;;) {} }, 0); return 1'),
    expect: expectResult(1),
  },
])
