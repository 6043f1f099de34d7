import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'

/** Not committed; it contains a .gitignore. */
const FOLDER = new URL('../../../../../test-output/', import.meta.url).pathname

const SIZES = {
  1280: { width: 1280, height: 800 },
  390: { width: 390, height: 844 },
  320: { width: 320, height: 640 },
} as const

/** Takes screenshots of a state in both themes and at three widths. */
export async function takeScreenshots(page: Page, name: string, lang: string): Promise<void> {
  mkdirSync(path.join(FOLDER, 'screenshots'), { recursive: true })
  writeFileSync(path.join(FOLDER, '.gitignore'), '*\n')
  for (const [width, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const file = `${name}.${width}.${colorScheme}.${lang}.png`
      await page.screenshot({ path: path.join(FOLDER, 'screenshots', file) })
    }
  }
}
