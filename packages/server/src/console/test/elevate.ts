import assert from 'node:assert/strict'
import type { TestApp } from '../../../test/test-app.ts'
import { type ConsoleVisitor, createSignInCode } from './console-visitor.ts'

/** Confirms with a new code who the person is. */
export async function elevate(app: TestApp, visitor: ConsoleVisitor): Promise<void> {
  await visitor.get('/console/elevate?to=/console')
  const code = await createSignInCode(app)
  const { status, text } = await visitor.post('/console/elevate?to=%2Fconsole', { code })
  assert.equal(status, 303, text)
}
