import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { WatchdogKey } from './messages/watchdog-key.ts'
import { PublicKey } from './public-key.ts'

const p = 2n ** 255n - 19n
const mod = (n: bigint) => ((n % p) + p) % p
function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let square = mod(base), left = exponent; left > 0n; left >>= 1n, square = mod(square * square))
    if (left & 1n) result = mod(result * square)
  return result
}
const inverse = (n: bigint) => power(n, p - 2n)
const d = mod(-121_665n * inverse(121_666n))
const rootOfMinusOne = power(2n, (p - 1n) / 4n)

/** The point of a key; undefined when no point has this y. */
function pointOf(y: bigint): { x: bigint; y: bigint } | undefined {
  const square = mod((y * y - 1n) * inverse(d * y * y + 1n))
  const x = squareRoot(square)
  return x === undefined ? undefined : { x, y: mod(y) }
}
function double({ x, y }: { x: bigint; y: bigint }): { x: bigint; y: bigint } {
  const t = mod(d * x * x * y * y)
  return { x: mod(2n * x * y * inverse(1n + t)), y: mod((y * y + x * x) * inverse(1n - t)) }
}
function isSmallOrder(y: bigint): boolean {
  const point = pointOf(y)
  if (point === undefined) return false
  const { x, y: end } = double(double(double(point)))
  return x === 0n && end === 1n
}
const encoded = (y: bigint, sign: 0n | 1n) =>
  Buffer.from((y | (sign << 255n)).toString(16).padStart(64, '0'), 'hex')
    .reverse()
    .toString('base64url')

/** y of the points whose order divides 8, derived by doubling; computed here independently of the code. */
const ofOrderEight = () => {
  // Doubling a point of order 8 gives one with y = 0, so x² = -y²; inserted into the curve equation: d·y⁴ + 2·y² - 1 = 0.
  const root = squareRoot(mod(1n + d))
  if (root === undefined) throw new Error('1 + d has a square root on this curve')
  return [root, mod(-root)].flatMap((each) => {
    const y = squareRoot(mod((each - 1n) * inverse(d)))
    return y === undefined ? [] : [y, mod(-y)]
  })
}
function squareRoot(n: bigint): bigint | undefined {
  const root = power(n, (p + 3n) / 8n)
  return [root, mod(root * rootOfMinusOne)].find((each) => mod(each * each) === n)
}

const smallY = [0n, 1n, p - 1n, ...ofOrderEight()]
/** Encodings that are not reduced represent the same points. */
const spellings = [...smallY, ...smallY.map((y) => y + p).filter((y) => y < 2n ** 255n)]
const vectors = spellings.flatMap((y) => [encoded(y, 0n), encoded(y, 1n)])

test('the vectors are the fourteen encodings of points of small order', () => {
  expect(new Set(vectors).size).toBe(14)
  expect(spellings.every((y) => isSmallOrder(mod(y)))).toBe(true)
})

test.each(vectors)('rejects %s as a public key', (publicKey) => {
  expect(PublicKey.safeParse(publicKey).error?.issues[0]?.message).toMatch(/point of small order/)
  expect(WatchdogKey.safeParse({ publicKey }).success).toBe(false)
})

test('accepts generated keys', () => {
  for (let times = 0; times < 50; times++) {
    const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
    expect(PublicKey.safeParse(x).success).toBe(true)
  }
})
