const packaged = require('querystring-es3')

const kept = { 21: '!', 27: "'", 28: '(', 29: ')', '2A': '*' }

// The module `querystring`: the package, and the two functions that it lacks.
module.exports = { ...packaged, escape: escapeText, unescape: unescapeText }

function escapeText(text) {
  return encodeURIComponent(`${text}`.toWellFormed()).replace(
    /%(2[1789A])/g,
    (_all, hex) => kept[hex],
  )
}

function unescapeText(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return Buffer.from(
      text.replace(/%([0-9a-f]{2})/gi, (_all, hex) => String.fromCharCode(parseInt(hex, 16))),
      'latin1',
    ).toString()
  }
}
