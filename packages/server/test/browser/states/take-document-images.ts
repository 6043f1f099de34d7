/**
 * Takes the screenshots of the connect page in `docs/images`; review them before you commit them: `node
 * packages/server/test/browser/states/take-document-images.ts`
 */
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { startChromium } from '../chromium.ts'
import { openFilledPortal } from './portal-scenes.ts'
import { createSceneDriver } from './scene.ts'
import { type SceneContext, startSceneContext } from './scene-context.ts'

interface DocumentImage {
  readonly name: string
  readonly options: BrowserContextOptions
  readonly query?: Readonly<Record<string, string>>
  /** Navigates from the list to the state in the screenshot. */
  prepare?(page: Page, t: SceneContext): Promise<void>
}

const PHONE = { viewport: { width: 375, height: 667 }, hasTouch: true, isMobile: true }

const IMAGES: readonly DocumentImage[] = [
  { name: 'connect-picker', options: { viewport: { width: 560, height: 640 } } },
  {
    name: 'connect-form-refused',
    options: { viewport: { width: 560, height: 720 } },
    query: { integration: 'github' },
    async prepare(page, t) {
      t.checkStub.result = {
        status: false,
        error: 'Bad credentials',
        code: 'invalid_credentials',
        field: 'api_key',
        hint: 'Keys start with ghp_ or github_pat_. Create a new one at https://github.com/settings/tokens.',
      }
      await submitKey(page, 'failed')
      t.checkStub.result = { status: true }
    },
  },
  {
    name: 'connect-connected',
    options: { viewport: { width: 560, height: 420 } },
    query: { integration: 'github' },
    prepare: (page) => submitKey(page, 'connected'),
  },
  { name: 'connect-phone-dark', options: { ...PHONE, colorScheme: 'dark' } },
  {
    name: 'connect-phone-arabic',
    options: PHONE,
    query: { integration: 'github', lang: 'ar' },
  },
  {
    name: 'connect-portal',
    options: { viewport: { width: 560, height: 760 } },
    prepare: (page, t) => openFilledPortal(createSceneDriver(t, page, 'en')),
  },
]

const folder = fileURLToPath(new URL('../../../../../docs/images/', import.meta.url))
const [t, browser] = await Promise.all([startSceneContext(), startChromium()])
try {
  for (const image of IMAGES) await takeImage(image)
} finally {
  await browser.close()
  await t.close()
}

async function takeImage({ name, options, query, prepare }: DocumentImage): Promise<void> {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  const url = new URL(`/link/${await t.link()}`, t.url)
  url.search = new URLSearchParams({ redirectURL: t.returnUrl, ...query }).toString()
  await page.goto(url.href, { waitUntil: 'networkidle' })
  await prepare?.(page, t)
  // Without the focus ring, which depends on how the state was reached.
  await page.evaluate('document.activeElement?.blur()')
  await page.screenshot({ path: `${folder}${name}.png` })
  await context.close()
}

async function submitKey(page: Page, state: string): Promise<void> {
  await page.locator('#field-0').fill('ghp_0123456789abcdef')
  await page.locator('form button.primary').click()
  await page.waitForSelector(`main[data-state="${state}"]`)
  await page.waitForLoadState('networkidle')
}
