// Case W1: every pair of a deletion and a request that refers to the deleted resource, many times. LONG_MINUTES sets the
// number of rounds (ten per minute); PAIR_SEED starts with the other request first.
process.env.PAIR_ROUNDS = String(Math.max(1, Math.ceil(Number(process.env.LONG_MINUTES || 3) * 10)))
await import('../gates/pairs.test.ts')
