package pcm

// Scenario is a short dialogue for the demonstration, in words of our own: a programmer
// who turns to research.
const Scenario = `I work as a Python backend developer.
I wrote another Python service with a small web framework today.
Lately I have been reading about transformer networks in the evenings.
?What do I work on?
I work as a research assistant now, I no longer work as a Python backend developer.
?What do I work on?
My cat is called Biscuit.
我最喜欢的饮料是普洱茶。
我最喜欢的饮料变成乌龙茶了。
?我最喜欢喝什么？
/end
`
