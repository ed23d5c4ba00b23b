-- Strategies name their gates.
UPDATE deployments SET strategy = strategy || '{"gates": []}' WHERE NOT strategy ? 'gates';
