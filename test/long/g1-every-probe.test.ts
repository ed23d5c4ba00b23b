// Case G1: the gates that probe every operation, with every probe. The regular run uses a part: test/gates/budget.ts.
process.env.GATE_FULL = '1'
for (const gate of ['bad-input', 'matrix', 'pairs', 'reach', 'reach-reads']) await import(`../gates/${gate}.test.ts`)
