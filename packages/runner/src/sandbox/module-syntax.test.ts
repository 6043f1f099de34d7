import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isModuleSyntax } from './guest-call.ts'

describe('isModuleSyntax', () => {
  it('recognizes ES modules, readable and minified', () => {
    for (const code of [
      'export default 1',
      'const a = 1\nexport { a }',
      'var x=1;export{x as default};',
      'import fs from "fs"',
      'import{a as b}from"x";',
      'import * as x from "x"',
      'import "x"',
      'export async function main() {}',
    ]) {
      assert.ok(isModuleSyntax(code), code)
    }
  })

  it('does not match anything else', () => {
    for (const code of [
      'module.exports = 1',
      'exports.default = main',
      'const t = "do not export {this}"',
      'await import("x")',
      'exported(1)',
    ]) {
      assert.ok(!isModuleSyntax(code), code)
    }
  })
})
