// Case W1: every pair of a deletion and a request that refers to the thing, many times over. LONG_MINUTES says how many
// rounds (ten a minute); PAIR_SEED begins with the other request first.
process.env.PAIR_ROUNDS = String(Math.max(1, Math.ceil(Number(process.env.LONG_MINUTES || 3) * 10)))
await import('../gates/pairs.test.ts')
