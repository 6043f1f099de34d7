import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html } from './html.ts'
import { renderLayout } from './screen.ts'

describe('renderLayout', () => {
  const page = {
    language: 'en',
    nonce: 'abc',
    mode: 'page',
    title: 'T',
    main: html`<p>x</p>`,
  } as const

  it('renders language, direction, theme and state', () => {
    const text = renderLayout({
      ...page,
      language: 'ar',
      theme: 'dark',
      data: { 'data-state': 'form' },
    })
    assert.ok(text.includes('<html lang="ar" dir="rtl" data-theme="dark">'))
    assert.ok(text.includes('<main id="main" class="card" data-state="form">'))
    assert.ok(text.includes('<body data-mode="page">'))
  })

  it("links to the workspace's privacy and terms pages over https only", () => {
    const links = { privacy: 'https://a.example/p', terms: 'javascript:alert(1)' }
    const text = renderLayout({ ...page, links })
    assert.ok(text.includes('href="https://a.example/p"'))
    assert.ok(!text.includes('javascript:'))
    assert.ok(
      !renderLayout({ ...page, links: { privacy: 'data:text/html,x' } }).includes('data:text'),
    )
  })

  it('ignores an accent that is not a color', () => {
    const text = renderLayout({ ...page, accent: '#fff}body{display:none' })
    assert.ok(text.includes('--light-fill:#2f5bd8') && !text.includes('display:none'))
  })
})
