import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Html, highlight, html } from './html.ts'

const plain = (rendered: Html) => rendered.text.replaceAll(/<\/?span[^>]*>/g, '')

describe('highlight', () => {
  it('marks comments, keywords, strings and literals', () => {
    assert.equal(
      highlight(`const x = 'a' // 1`, 'ts').text,
      html`${new Html('<span class="code-keyword">const</span>')}${' x = '}${new Html('<span class="code-string">&#39;a&#39;</span>')} ${new Html('<span class="code-comment">// 1</span>')}`
        .text,
    )
    assert.match(
      highlight('{ "a": "b", "c": 12 }', 'json').text,
      /code-keyword">&#34;a&#34;.*code-string">&#34;b&#34;.*code-literal">12</,
    )
    assert.match(
      highlight('curl -sS $TOKEN # now', 'sh').text,
      /code-keyword">curl.*code-literal">\$TOKEN.*code-comment"># now/,
    )
  })

  it('keeps every character, and escapes it', () => {
    for (const code of [
      '<script>alert("x")</script>',
      "'unclosed",
      '`a\nb',
      '\\',
      '"a\\"b"',
      '//',
      '# é 漢',
    ])
      for (const language of ['sh', 'ts', 'json', 'text', ''])
        assert.equal(plain(highlight(code, language)), html`${code}`.text, `${language}: ${code}`)
  })
})
