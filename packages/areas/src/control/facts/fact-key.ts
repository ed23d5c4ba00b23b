import { createHash } from 'node:crypto'
import { Fact } from '@muster/wire/facts/facts.ts'

const keyDigits = 32

/** A hash of a fact: equal facts of several rules are one. The schema orders the fields, and leaves out others. */
export const factKey = (fact: Fact): string =>
  createHash('sha256')
    .update(JSON.stringify(Fact.parse(fact)))
    .digest('hex')
    .slice(0, keyDigits)
