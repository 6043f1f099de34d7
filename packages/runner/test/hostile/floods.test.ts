import assert from 'node:assert/strict'
import { describeHostileCases, expectResult, wrapInMain } from './harness.ts'

const limits = { cpuMs: 2_000, wallMs: 5_000 }

describeHostileCases('a flood', [
  {
    name: 'of timers is rejected beyond the limit',
    code: wrapInMain('for (let i = 0; i < 1e6; i++) setTimeout(() => {}, 1e6)'),
    limits,
    expect: 'integration_failed',
  },
  {
    name: 'of timers that are cleared again is allowed',
    code: wrapInMain(
      'for (let i = 0; i < 5000; i++) clearTimeout(setTimeout(() => {}, 9)); return 1',
    ),
    expect: expectResult(1),
  },
  {
    name: 'of setImmediate is stopped',
    code: wrapInMain('const next = () => setImmediate(next); next(); await new Promise(() => {})'),
    expect: 'integration_timeout',
  },
  {
    name: 'of intervals is stopped',
    code: wrapInMain(
      'for (let i = 0; i < 900; i++) setInterval(() => {}, 1); await new Promise(() => {})',
    ),
    expect: 'integration_timeout',
  },
  {
    name: 'of nextTick is stopped',
    code: wrapInMain(
      'const next = () => process.nextTick(next); next(); await new Promise(() => {})',
    ),
    expect: 'integration_timeout',
  },
  {
    name: 'of requests fails inside the guest beyond the limit',
    code: wrapInMain(`
      const all = Array.from({ length: 500 }, () => fetch('http://10.0.0.1/').catch((e) => e))
      const codes = (await Promise.all(all)).map((e) => e.code ?? e.cause?.code)
      const count = (code) => codes.filter((each) => each === code).length
      return { limited: count('ERR_LIMIT_REQUESTS'), refused: count('ENOTFOUND') }`),
    expect: expectResult({ limited: 450, refused: 50 }),
  },
  {
    name: 'of 1,000 requests over http leaves the child alive',
    code: wrapInMain(`
      const http = require('http')
      for (let i = 0; i < 1000; i++) http.get('http://10.0.0.1/').on('error', () => {})
      return 1`),
    limits,
    expect: (value) => assert.equal(value, 1),
  },
  {
    name: 'in one request body fails inside the guest',
    code: wrapInMain(`
      const body = 'x'.repeat(2e6)
      const error = await fetch('http://10.0.0.1/', { method: 'POST', body }).catch((e) => e)
      return error.code ?? error.cause?.code`),
    limits,
    expect: expectResult('ERR_LIMIT_REQUEST_SIZE'),
  },
  {
    name: 'in the headers of a request fails inside the guest',
    code: wrapInMain(`
      const headers = { 'x-long': 'x'.repeat(2e5) }
      const error = await fetch('http://10.0.0.1/', { headers }).catch((e) => e)
      return error.code ?? error.cause?.code`),
    limits,
    expect: expectResult('ERR_LIMIT_REQUEST_SIZE'),
  },
  {
    name: 'of console output is dropped',
    code: wrapInMain('for (let i = 0; i < 2000; i++) console.log("x".repeat(10000)); return 1'),
    limits,
    expect: expectResult(1),
  },
  {
    name: 'of output to stdout and stderr is dropped',
    code: wrapInMain(
      'for (let i = 0; i < 2000; i++) process.stdout.write("x".repeat(10000)); return 1',
    ),
    limits,
    expect: expectResult(1),
  },
  {
    name: 'of random bytes is served within the CPU limit',
    code: wrapInMain('for (;;) require("crypto").randomBytes(65536)'),
    expect: 'integration_timeout',
  },
  {
    name: 'of listeners is stopped by memory or time',
    code: wrapInMain('const e = new (require("events"))(); for (;;) e.on("x", () => {})'),
    limits: { cpuMs: 500, wallMs: 2_000 },
    expect: 'integration_timeout',
  },
])
