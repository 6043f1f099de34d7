import { AGAIN_SCENES } from './again-scenes.ts'
import { AGENT_SCENES } from './agent-scenes.ts'
import { CREDENTIAL_SCENES } from './credential-scenes.ts'
import { ERROR_SCENES } from './error-scenes.ts'
import { LIST_SCENES } from './list-scenes.ts'
import { PORTAL_SCENES } from './portal-scenes.ts'
import type { Scene } from './scene.ts'
import { SIGN_IN_SCENES } from './sign-in-scenes.ts'
import { THEME_SCENES } from './theme-scenes.ts'

const LONG_TEXT_SCENES = [
  'picker',
  'chooseAuth',
  'form-errors',
  'signIn',
  'failed-key',
  'waitingSignIn-reloaded',
  'redirectNotAllowed',
  'portal',
  'portal-menu',
  'disconnect',
  'reconnectStart',
  'reconnect',
  'sessionElsewhere',
  'alreadyConnected',
  'alreadyConnected-no-script',
  'picker-with-theme',
  'agentReview',
  'agentConsent',
]

/** Every state of the connect page, with the steps to reach it in a browser. */
export const SCENES: readonly Scene[] = [
  ...LIST_SCENES,
  ...CREDENTIAL_SCENES,
  ...SIGN_IN_SCENES,
  ...ERROR_SCENES,
  ...PORTAL_SCENES,
  ...AGAIN_SCENES,
  ...THEME_SCENES,
  ...AGENT_SCENES,
].map((scene) => ({ ...scene, hasLongText: LONG_TEXT_SCENES.includes(scene.name) }))
