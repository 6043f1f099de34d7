import { KEY_SCENES } from './key-scenes.ts'
import { LIST_SCENES } from './list-scenes.ts'
import type { Scene } from './scene.ts'
import { SIGN_IN_SCENES } from './sign-in-scenes.ts'
import { STOP_SCENES } from './stop-scenes.ts'

const LONG = [
  'picker',
  'chooseAuth',
  'form-faults',
  'signIn',
  'failed-key',
  'waitingSignIn-reloaded',
  'redirectNotAllowed',
]

/** Every state of the connect page, with the steps that lead to it in a real browser. */
export const SCENES: readonly Scene[] = [
  ...LIST_SCENES,
  ...KEY_SCENES,
  ...SIGN_IN_SCENES,
  ...STOP_SCENES,
].map((scene) => ({ ...scene, isLong: LONG.includes(scene.name) }))
