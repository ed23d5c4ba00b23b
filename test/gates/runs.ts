/** How often a generated case is tried: so many times in the gate, and as many times more as GATE_SCALE says. */
export const runs = (inGate: number): number => Math.ceil(inGate * Number(process.env.GATE_SCALE ?? 1))
