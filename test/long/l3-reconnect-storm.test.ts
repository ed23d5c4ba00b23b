// All ingest processes are killed at once and the whole fleet reconnects while a user tries to sign in.
import { expect, it } from 'vitest'
import { bench, broken, scale } from './scale.ts'

const { agents } = scale(50_000, 0)

it(`reconnects ${agents} agents after every ingest process was killed`, async () => {
  expect(broken(await bench('storm', '--agents', String(agents), '--rounds', '1'))).toEqual([])
})
