// Case G1: the gates that try every operation, with every probe. The ordinary run tries a part: test/gates/budget.ts.
process.env.GATE_FULL = '1'
for (const gate of ['bad-input', 'matrix', 'pairs', 'reach', 'reach-reads']) await import(`../gates/${gate}.test.ts`)
