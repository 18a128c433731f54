package resident

// Stages are the commands that release while they start.
var Stages = stages
