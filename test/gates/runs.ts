/** How often a generated case runs: the given number, multiplied by GATE_SCALE. */
export const runs = (inGate: number): number => Math.ceil(inGate * Number(process.env.GATE_SCALE ?? 1))
