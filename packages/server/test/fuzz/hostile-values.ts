import fc from 'fast-check'

/** Text that breaks databases, parsers and terminals. None is a URL, so that nothing is sent anywhere. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 40, unit: 'binary' }),
  fc.string({ maxLength: 40, unit: 'grapheme' }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    'x\udfff',
    '\u202emirrored',
    '𝕏'.repeat(20),
    '\ufeffbom',
    '\ufffd',
    "'; DROP TABLE accounts; --",
    '{{constructor}}',
    '../../../../etc/passwd',
    'null',
    '__proto__',
    'constructor',
    'toString',
    '\r\nX-Injected: 1',
    '%00',
    '%ff%fe',
    'ﬀ'.repeat(64),
    'é'.normalize('NFD'),
  ),
  fc.integer({ min: 0, max: 300 }).map((length) => 'n'.repeat(length)),
)

/** Numbers at the limits of every representation. */
const hostileNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    1,
    -1,
    0.1,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31) - 1,
    2 ** 53 - 1,
    2 ** 53,
    2 ** 63,
    1e308,
    -1e308,
    5e-324,
    31_536_000,
    31_536_001,
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

/** Without `__proto__`, which would change the object itself; other cases send it as text. */
const hostileKey = hostileText.filter((key) => key !== '__proto__')

/** Any JSON value, hostile text and numbers inside. */
export const hostileJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    hostileText,
    hostileNumber,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(hostileKey, tie('value'), { maxKeys: 4 }),
  ),
})).value as fc.Arbitrary<unknown>
